import { serveGivenUp } from '../lib/app/cloud-jobs.ts'

/** Handles the messages that SQS gave up. */
export const handler = serveGivenUp()
