import { OptionFiles, readText } from '../authentication/authentication-settings.ts';
import { readAuthorities } from '../authentication/client-certificate/authorities.ts';
import type { OptionValues } from '../options/option.ts';
import { readKeyPair } from '../server/tls/key-pair-files.ts';

/** What is wrong with the files for TLS to storage servers, whether or not any server has TLS. */
export function storeTlsProblems(options: OptionValues): readonly string[] {
  const files = new OptionFiles(options);
  files.use('store-cafile', (file) => readAuthorities(readText(file)));
  const keyFile = options.string('store-keyfile');
  if (keyFile !== '') files.use('store-certfile', (certFile) => readKeyPair({ certFile, keyFile }));
  return files.problems;
}
