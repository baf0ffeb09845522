import type { DynamoDBStreamEvent } from '../lib/adapters/aws/dynamodb/stream.ts'
import { openChanges } from '../lib/app/cloud-changes.ts'

let opened: ReturnType<typeof openChanges> | undefined

/** Handles the changes of rows: sends their messages, and updates counters. */
export const handler = async (event: DynamoDBStreamEvent) => {
  opened ??= openChanges()
  return opened(event)
}
