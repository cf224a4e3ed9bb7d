// Extracts one entry of a zip file: node unzip-entry.mjs ARCHIVE ENTRY TARGET.
// Runs on Node alone, since a fresh Debian has no unzip and this runs before packages are installed. Format: PKWARE APPNOTE.TXT, no zip64.
import { readFileSync, writeFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

const endOfCentralDirectory = 0x06054b50;
const centralHeader = 0x02014b50;
const centralHeaderBytes = 46;
const localHeaderBytes = 30;

/** The content of `entry`, or undefined when the archive has no such entry. Throws on what is not a zip file. */
function readEntry(archive, entry) {
  let end = archive.length - 22;
  while (end >= 0 && archive.readUInt32LE(end) !== endOfCentralDirectory) end--;
  if (end < 0) throw new Error('not a zip file');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== centralHeader) throw new Error('damaged zip directory');
    const nameBytes = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + centralHeaderBytes, at + centralHeaderBytes + nameBytes);
    if (name === entry) return readContent(archive, at);
    at += centralHeaderBytes + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return undefined;
}

function readContent(archive, header) {
  const method = archive.readUInt16LE(header + 10);
  const packedBytes = archive.readUInt32LE(header + 20);
  const local = archive.readUInt32LE(header + 42);
  const start = local + localHeaderBytes + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(start, start + packedBytes);
  if (method === 0) return packed;
  if (method === 8) return inflateRawSync(packed);
  throw new Error(`compression method ${method} is not supported`);
}

const [archivePath, entry, target] = process.argv.slice(2);
if (target === undefined) {
  console.error('usage: unzip-entry.mjs ARCHIVE ENTRY TARGET');
  process.exit(2);
}
const content = readEntry(readFileSync(archivePath), entry);
if (content === undefined) {
  console.error(`${archivePath} has no entry ${entry}`);
  process.exit(1);
}
writeFileSync(target, content);
