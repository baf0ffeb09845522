import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { ensureFolder } from '../adapters/node/folder.ts'
import { lockDataDir } from '../adapters/sqlite/lock.ts'
import { badSetting, type Config } from '../config.ts'
import { messageOf } from '../core/errors.ts'

/** Where the data is; `release` gives it back at the end. */
export type DataPlace = { file: string; workspacesDir: string; shown: string; release: () => void }

/** In `mini` a folder that no other process has open; in `pico` memory and a temporary folder that goes with the process. */
export const openData = ({ SERVICE_MODE, DATA_DIR, WORKSPACES_DIR }: Config): DataPlace => {
  if (SERVICE_MODE === 'mini') {
    const release = lockDataDir(DATA_DIR)
    const workspacesDir = writable(WORKSPACES_DIR ?? path.join(DATA_DIR, 'workspaces'))
    return { file: path.join(DATA_DIR, 'service.db'), workspacesDir, shown: DATA_DIR, release }
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

const writable = (folder: string): string => {
  try {
    ensureFolder(folder)
    return folder
  } catch (thrown) {
    throw badSetting(`WORKSPACES_DIR: ${folder} cannot be written to (${messageOf(thrown)})`)
  }
}
