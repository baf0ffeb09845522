import { createWorkerFunction } from '../lib/app/cloud-worker.ts'

/** Runs the tasks of a batch of messages. */
export const handler = createWorkerFunction()
