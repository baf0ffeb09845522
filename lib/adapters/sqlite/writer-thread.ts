import { parentPort, workerData } from 'node:worker_threads'
import { dropRecord, openCommitCount } from './commit-count.ts'
import { createCheckpoints, openDatabase } from './database.ts'
import { checkpointAndMarkClosed } from './open-mark.ts'
import { openExecution, type WriteBatch } from './write-batch.ts'

/** Undefined for a committed batch, else SQLite's error in a form that threads can pass. */
export type ThreadAnswer = { message: string; code?: unknown; errcode?: unknown } | undefined

const { file } = workerData as { file: string }
const db = openDatabase(file)
const count = openCommitCount(db, file)
const execute = openExecution(db, count)
const checkpoints = createCheckpoints(db)

const write = (batch: WriteBatch) => {
  execute(batch)
  checkpoints.written()
}

const close = () => {
  checkpoints.stop()
  count.close()
  try {
    if (checkpointAndMarkClosed(db)) dropRecord(file)
  } finally {
    db.close()
  }
}

parentPort?.on('message', (message: WriteBatch | 'close') => {
  parentPort?.postMessage(answerTo(() => (message === 'close' ? close() : write(message))))
})

const answerTo = (work: () => void): ThreadAnswer => {
  try {
    work()
    return undefined
  } catch (thrown) {
    const { message, code, errcode } = thrown as { message: string; code?: unknown; errcode?: unknown }
    return { message, code, errcode }
  }
}
