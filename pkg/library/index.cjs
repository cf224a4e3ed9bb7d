'use strict';
// For `require('binnacle')`. Jest gives tests modules of a sandbox, which cannot load what is not CommonJS, and loads
// them once per test file. The class behind its `module` is Node's own: with it, the library runs outside of the
// sandbox, once per process, and with timers that a test does not replace.
const Module = require('node:module');
const behind = Object.getPrototypeOf(Module);
const { createRequire } = behind.createRequire === undefined ? Module : behind;
exports.startControlPlane = createRequire(__filename)('./index.js').startControlPlane;
