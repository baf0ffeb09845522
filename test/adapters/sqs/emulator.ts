import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { openSqs } from '../../../lib/adapters/aws/clients.ts'
import { createQueues } from '../../../lib/adapters/aws/sqs/create-queues.ts'
import type { QueueUrls } from '../../../lib/adapters/aws/sqs/queue.ts'
import { CREDENTIALS, REGION, startSqsAndS3 } from '../../../offline/emulators.ts'

/** The queues of one test. */
export type TestQueues = { normal: string; urgent: string; dlq: string }

export type Sqs = Awaited<ReturnType<typeof startSqs>>

/** A running SQS with clients and queues for tests. */
export const startSqs = async () => {
  const emulator = await startSqsAndS3()
  const clients: SQSClient[] = []
  let families = 0

  const connect = (): SQSClient => {
    const client = openSqs({ region: REGION, endpoint: emulator.endpoint, credentials: CREDENTIALS })
    clients.push(client)
    return client
  }

  /** Fresh queues, of which the first two redrive to the third. */
  const queues = async ({ maxReceiveCount = 10, visibilityTimeout = 30 } = {}): Promise<TestQueues> => {
    families += 1
    const family = `queue-${families}`
    const dlq = `${family}-dlq`
    const of = (name: string) => ({
      name,
      visibilityTimeout,
      messageRetention: 3_600,
      deadLetters: { queue: dlq, maxReceiveCount },
    })
    const urls = await createQueues(connect(), [
      { name: dlq, visibilityTimeout, messageRetention: 3_600 },
      of(family),
      of(`${family}-urgent`),
    ])
    return {
      normal: urls[family] ?? '',
      urgent: urls[`${family}-urgent`] ?? '',
      dlq: urls[dlq] ?? '',
    }
  }

  const stop = async () => {
    for (const client of clients) client.destroy()
    await emulator.stop()
  }
  return { connect, queues, stop }
}

/** How many messages the queues hold in all, whether they can be seen or not. */
export const totalDepth = async (client: SQSClient, urls: QueueUrls): Promise<number> => {
  const depths = [urls.normal, urls.urgent]
    .filter((url) => url !== undefined)
    .map((url) => client.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] })))
  return (await Promise.all(depths))
    .flatMap(({ Attributes = {} }) =>
      Object.entries(Attributes).filter(([name]) => name.startsWith('ApproximateNumberOf')),
    )
    .reduce((sum, [, count]) => sum + Number(count), 0)
}
