import type { DynamoDBStreamEvent } from '../lib/adapters/aws/dynamodb/stream.ts'
import { openChanges } from '../lib/app/cloud-changes.ts'

let opened: ReturnType<typeof openChanges> | undefined

/** Does what follows from the changes of rows: sends their messages and counts them. */
export const handler = async (event: DynamoDBStreamEvent) => {
  opened ??= openChanges()
  return opened(event)
}
