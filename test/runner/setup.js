import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * All temporary files of the tests, and of the programs that they start, are in one folder, which the end removes; also the
 * bundles of the serverless stack, which the first start makes for all.
 */
export default () => {
  process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'tests-'))
  // As the system's own: some of the programs are another user's.
  chmodSync(process.env.TMPDIR, 0o1777)
  process.env.BUNDLES_KEPT ??= join(process.env.TMPDIR, 'bundles')
}
