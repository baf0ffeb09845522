import { createWorkerFunction } from '../lib/app/cloud-worker.ts'

/** Runs the tasks that the messages of a batch name. */
export const handler = createWorkerFunction()
