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
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { KEY_FILE } from '../adapters/node/cipher-keys.ts'
import { ensureFolder, syncPath } from '../adapters/node/folder.ts'
import { copyDatabase } from '../adapters/sqlite/backup.ts'
import { checkLog } from '../adapters/sqlite/check-log.ts'
import { lockDataDir } from '../adapters/sqlite/lock.ts'
import type { Config } from '../config/config.ts'
import { badSetting } from '../core/bad-setting.ts'
import { errorMessage, Problem } from '../core/errors.ts'

/** The place of the data, and its description in the log; `release` unlocks it at the end. */
type DataPlace = {
  file: string
  workspacesDir: string
  /** Derived data, which needs no backup. */
  copiesDir: string
  shown: string
  warning?: string
  release: () => void
}

/** In `mini` a folder that no other process has open; in `pico` memory, and a temporary folder. */
export const openData = ({ SERVICE_MODE, DATA_DIR, WORKSPACES_DIR, ACCEPT_DATA_LOSS }: Config): DataPlace => {
  if (SERVICE_MODE === 'mini') {
    const release = lockDataDir(DATA_DIR)
    const file = dataFileIn(DATA_DIR)
    const warning = checked(file, ACCEPT_DATA_LOSS === '1')
    const workspacesDir = writable(WORKSPACES_DIR ?? path.join(DATA_DIR, 'workspaces'))
    const copiesDir = path.join(DATA_DIR, 'memory-index')
    return { file, workspacesDir, copiesDir, shown: DATA_DIR, release, ...warning }
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-task-service-'))
  const release = () => rmSync(folder, { recursive: true, force: true })
  return {
    file: ':memory:',
    workspacesDir: WORKSPACES_DIR ? writable(WORKSPACES_DIR) : folder,
    copiesDir: path.join(folder, 'memory-index'),
    shown: 'memory only',
    release,
  }
}

export const dataFileIn = (folder: string): string => path.join(folder, 'service.db')

const checked = (file: string, acceptLoss: boolean): { warning?: string } => {
  const loss = checkLog(file, acceptLoss)
  if (loss !== undefined) return { warning: `Data loss was accepted: ${loss}. Unset ACCEPT_DATA_LOSS now` }
  return acceptLoss
    ? {
        warning: 'ACCEPT_DATA_LOSS=1 is set, but no data is lost. Unset it, or the next loss is accepted too',
      }
    : {}
}

const writable = (folder: string): string => {
  try {
    ensureFolder(folder)
    return folder
  } catch (thrown) {
    throw badSetting(`WORKSPACES_DIR: ${folder} cannot be written to (${errorMessage(thrown)})`)
  }
}

type Settings = Pick<Config, 'SERVICE_MODE' | 'DATA_DIR' | 'ENCRYPTION_KEY'>

/** The contents of a backup; `bytes` is the size of its database. */
type Backup = { folder: string; bytes: number; hasKeyFile: boolean }

/**
 * Copies the data folder of a service, which may be running: a checked snapshot of the database, and the key file.
 * Throws Problem when the target exists, there is nothing to copy, data was lost before, or the medium fails.
 */
export const backUp = ({ SERVICE_MODE, DATA_DIR }: Settings, target: string): Backup => {
  if (SERVICE_MODE !== 'mini')
    throw badSetting(`SERVICE_MODE: ${SERVICE_MODE} has no data file, only mini has one`)
  const folder = path.resolve(target)
  if (existsSync(folder)) throw backupExists(folder)
  const file = dataFileIn(DATA_DIR)
  checkLog(file, false)
  if (!existsSync(file))
    throw new Problem('invalid', 'no_data', `there is no ${path.basename(file)} in ${DATA_DIR}. Set DATA_DIR`)
  const draft = createDraftFolder(folder)
  try {
    fill(draft, file, path.join(DATA_DIR, KEY_FILE))
    takeName(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  const { size: bytes } = statSync(dataFileIn(folder))
  return { folder, bytes, hasKeyFile: existsSync(path.join(folder, KEY_FILE)) }
}

const backupExists = (folder: string, cause?: unknown) =>
  new Problem('invalid', 'backup_exists', `${folder} already exists. Choose a new name`, { cause })

/** A temporary folder beside the target, readable by its user only. */
const createDraftFolder = (folder: string): string => {
  try {
    ensureFolder(path.dirname(folder))
    return mkdtempSync(`${folder}.unfinished-`)
  } catch (thrown) {
    throw new Problem('unavailable', 'backup_failed', `${folder} cannot be written (${errorMessage(thrown)})`)
  }
}

/** The key is copied after the data: then it includes every key that the data was sealed with. */
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

/** A rename replaces neither a file nor a folder with contents. */
const takeName = (draft: string, folder: string): void => {
  try {
    renameSync(draft, folder)
  } catch (thrown) {
    throw backupExists(folder, thrown)
  }
  syncPath(path.dirname(folder))
}
