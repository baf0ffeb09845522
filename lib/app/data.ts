import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { ensureFolder } from '../adapters/node/folder.ts'
import { checkLog } from '../adapters/sqlite/check-log.ts'
import { lockDataDir } from '../adapters/sqlite/lock.ts'
import { badSetting, type Config } from '../config.ts'
import { messageOf } from '../core/errors.ts'

/** Where the data is, and what is to be said of it in the log; `release` gives it back at the end. */
export type DataPlace = {
  file: string
  workspacesDir: string
  shown: string
  warning?: string
  release: () => void
}

/** In `mini` a folder that no other process has open; in `pico` memory and a temporary folder that goes with the process. */
export const openData = ({ SERVICE_MODE, DATA_DIR, WORKSPACES_DIR, ACCEPT_DATA_LOSS }: Config): DataPlace => {
  if (SERVICE_MODE === 'mini') {
    const release = lockDataDir(DATA_DIR)
    const file = dataFileIn(DATA_DIR)
    const warning = checked(file, ACCEPT_DATA_LOSS === '1')
    const workspacesDir = writable(WORKSPACES_DIR ?? path.join(DATA_DIR, 'workspaces'))
    return { file, workspacesDir, shown: DATA_DIR, release, ...warning }
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-task-service-'))
  const release = () => rmSync(folder, { recursive: true, force: true })
  return {
    file: ':memory:',
    workspacesDir: WORKSPACES_DIR ? writable(WORKSPACES_DIR) : folder,
    shown: 'memory only',
    release,
  }
}

/** The database of a data folder. */
export const dataFileIn = (folder: string): string => path.join(folder, 'service.db')

const checked = (file: string, acceptLoss: boolean): { warning?: string } => {
  const loss = checkLog(file, acceptLoss)
  if (loss !== undefined) return { warning: `Data loss was accepted: ${loss}. Unset ACCEPT_DATA_LOSS` }
  return acceptLoss
    ? { warning: 'ACCEPT_DATA_LOSS=1 is set and nothing is lost: unset it, or the next loss is accepted too' }
    : {}
}

const writable = (folder: string): string => {
  try {
    ensureFolder(folder)
    return folder
  } catch (thrown) {
    throw badSetting(`WORKSPACES_DIR: ${folder} cannot be written to (${messageOf(thrown)})`)
  }
}
