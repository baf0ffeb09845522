import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { QueueDefinition } from './definitions.ts'

/**
 * Creates missing queues, and resolves to the URL of each by its name. For emulators and tests; deployed queues come from
 * `resources/`.
 */
export const createQueues = async (
  client: SQSClient,
  definitions: readonly QueueDefinition[],
): Promise<Readonly<Record<string, string>>> => {
  const urls: Record<string, string> = {}
  for (const definition of definitions) {
    const policy = await redrivePolicy(client, definition, urls)
    const { QueueUrl } = await client.send(
      new CreateQueueCommand({
        QueueName: definition.name,
        Attributes: {
          VisibilityTimeout: String(definition.visibilityTimeout),
          MessageRetentionPeriod: String(definition.messageRetention),
          ...(policy ? { RedrivePolicy: policy } : {}),
        },
      }),
    )
    if (QueueUrl === undefined) throw new Error(`SQS names no URL of the queue ${definition.name}`)
    urls[definition.name] = QueueUrl
  }
  return urls
}

const redrivePolicy = async (
  client: SQSClient,
  { deadLetters }: QueueDefinition,
  urls: Readonly<Record<string, string>>,
): Promise<string | undefined> => {
  if (!deadLetters) return undefined
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: urls[deadLetters.queue], AttributeNames: ['QueueArn'] }),
  )
  return JSON.stringify({
    deadLetterTargetArn: Attributes?.QueueArn,
    maxReceiveCount: deadLetters.maxReceiveCount,
  })
}
