import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from './database.ts'
import { openExecution } from './execute.ts'
import { createFolding } from './folding.ts'
import type { Script } from './script.ts'

/** Nothing for a script that was committed, else what SQLite raised, in a form that crosses threads whole. */
export type Answer = { message: string; code?: unknown; errcode?: unknown } | undefined

const db = openDatabase(workerData.file)
const execute = openExecution(db)
const folding = createFolding(db)

const write = (script: Script) => {
  execute(script)
  folding.written()
}

const close = () => {
  folding.stop()
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}

parentPort?.on('message', (message: Script | 'close') => {
  parentPort?.postMessage(answerTo(() => (message === 'close' ? close() : write(message))))
})

const answerTo = (work: () => void): Answer => {
  try {
    work()
    return undefined
  } catch (thrown) {
    const { message, code, errcode } = thrown as { message: string; code?: unknown; errcode?: unknown }
    return { message, code, errcode }
  }
}
