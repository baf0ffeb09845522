import { setTimeout as sleep } from 'node:timers/promises'
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import type { SqsEvent } from '../lib/adapters/aws/sqs/sqs-batch.ts'
import type { Log } from '../lib/ports/log.ts'
import { createInvocations, type FunctionHandler } from './invocation.ts'
import { failedIn, type LambdaRecord, sqsRecord } from './sqs-event.ts'

type Settings = {
  client: SQSClient
  queueUrl: string
  /** The most messages of one event; SQS returns 10 at most. */
  batchSize: number
  handler: FunctionHandler<SqsEvent>
  log: Pick<Log, 'warn'>
  /** The most concurrent invocations. */
  concurrency?: number
  timeoutMs?: number
  /**
   * How long a receive waits for messages, and `stop` for a receive. The client takes 3 s of silence for a hanging
   * service.
   */
  waitMs?: number
}

export type Poller = {
  /** Stops polling, and resolves when all received messages were handled. */
  stop(): Promise<void>
}

const PAUSE_MS = 500

/**
 * Does what Lambda's event source mapping does: passes messages of a queue to a function, deletes the handled ones
 * (`ReportBatchItemFailures`), and leaves the others to their visibility timeout and to the queue's redrive.
 */
export const startPoller = (settings: Settings): Poller => {
  const { client, queueUrl, batchSize, handler, log } = settings
  const { concurrency = 5, timeoutMs = 30_000, waitMs = 1_000 } = settings
  const invoke = createInvocations(handler, timeoutMs)
  const source = createSource(client, queueUrl)
  let stopped = false

  const work = async (): Promise<void> => {
    const records = await source.receive(Math.min(batchSize, 10), waitMs)
    if (records.length === 0) return
    const answer = await invoke({ Records: records })
    const failed = failedIn(answer, records)
    await source.remove(records.filter(({ messageId }) => !failed.has(messageId)))
  }

  const loop = async (): Promise<void> => {
    while (!stopped)
      await work().catch(async (error) => {
        log.warn({ queueUrl, error: String(error) }, 'a batch failed and is delivered again')
        await sleep(PAUSE_MS)
      })
  }

  const loops = Array.from({ length: concurrency }, loop)
  return {
    async stop() {
      stopped = true
      await Promise.all(loops)
    },
  }
}

const createSource = (client: SQSClient, queueUrl: string) => {
  let arn: string | undefined

  const findArn = async (): Promise<string> => {
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] }),
    )
    return Attributes?.QueueArn ?? ''
  }

  return {
    async receive(most: number, waitMs: number): Promise<LambdaRecord[]> {
      arn ??= await findArn()
      const queueArn = arn
      const command = new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: most,
        WaitTimeSeconds: Math.ceil(waitMs / 1_000),
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      })
      const { Messages = [] } = await client.send(command, { requestTimeout: waitMs + 5_000 })
      return Messages.map((message) => sqsRecord(message, queueArn))
    },
    async remove(records: readonly LambdaRecord[]): Promise<void> {
      if (records.length === 0) return
      const Entries = records.map(({ receiptHandle }, n) => ({ Id: String(n), ReceiptHandle: receiptHandle }))
      await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }))
    },
  }
}
