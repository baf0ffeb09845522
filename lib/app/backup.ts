import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import * as path from 'node:path'
import { KEY_FILE } from '../adapters/node/cipher-keys.ts'
import { ensureFolder, syncPath } from '../adapters/node/folder.ts'
import { copyDatabase } from '../adapters/sqlite/backup.ts'
import { checkLog } from '../adapters/sqlite/check-log.ts'
import { badSetting, type Config } from '../config.ts'
import { messageOf, Problem } from '../core/errors.ts'
import { dataFileIn } from './data.ts'

type Settings = Pick<Config, 'SERVICE_MODE' | 'DATA_DIR' | 'ENCRYPTION_KEY'>

/** What is in a backup; `bytes` are those of its database. */
export type Backup = { folder: string; bytes: number; hasKeyFile: boolean }

/**
 * Copies the data folder of a service, which may be running, to a folder that is not there yet: the database as of one
 * moment, checked, and the key file. The folder gets its name when all of it is on the disk. Throws Problem when the
 * target exists, there is nothing to copy, data is lost already, or the medium fails.
 */
export const backUp = ({ SERVICE_MODE, DATA_DIR }: Settings, target: string): Backup => {
  if (SERVICE_MODE !== 'mini') throw badSetting(`SERVICE_MODE: ${SERVICE_MODE} keeps no data file; mini does`)
  const folder = path.resolve(target)
  if (existsSync(folder)) throw taken(folder)
  const file = dataFileIn(DATA_DIR)
  checkLog(file, false)
  if (!existsSync(file))
    throw new Problem('invalid', 'no_data', `there is no ${path.basename(file)} in ${DATA_DIR}: set DATA_DIR`)
  const draft = draftOf(folder)
  try {
    fill(draft, file, path.join(DATA_DIR, KEY_FILE))
    takeName(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  const { size: bytes } = statSync(dataFileIn(folder))
  return { folder, bytes, hasKeyFile: existsSync(path.join(folder, KEY_FILE)) }
}

const taken = (folder: string, cause?: unknown) =>
  new Problem(
    'invalid',
    'backup_exists',
    `${folder} exists, and no backup replaces another: choose a new name`,
    {
      cause,
    },
  )

/** A folder of this process beside the target, of its user alone. */
const draftOf = (folder: string): string => {
  try {
    ensureFolder(path.dirname(folder))
    return mkdtempSync(`${folder}.unfinished-`)
  } catch (thrown) {
    throw new Problem('unavailable', 'backup_failed', `${folder} cannot be written (${messageOf(thrown)})`)
  }
}

/** The key after the data: whatever the data holds was sealed with a key that is there by then. */
const fill = (draft: string, file: string, keyFile: string): void => {
  copyDatabase(file, dataFileIn(draft))
  if (existsSync(keyFile)) {
    const copy = path.join(draft, KEY_FILE)
    copyFileSync(keyFile, copy)
    chmodSync(copy, 0o600)
  }
  for (const name of readdirSync(draft)) syncPath(path.join(draft, name))
  syncPath(draft)
}

/** A rename replaces no folder that has anything in it, and no file. */
const takeName = (draft: string, folder: string): void => {
  try {
    renameSync(draft, folder)
  } catch (thrown) {
    throw taken(folder, thrown)
  }
  syncPath(path.dirname(folder))
}
