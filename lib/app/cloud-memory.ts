import { createS3Blobs } from '../adapters/aws/s3.ts'
import { createS3Memory } from '../adapters/aws/s3-memory.ts'
import type { SqsBatchResponse, SqsEvent } from '../adapters/aws/sqs/event.ts'
import type { AuthPorts } from '../composition/auth.ts'
import type { WatchedMemoryPorts } from '../composition/chat.ts'
import type { Config } from '../config.ts'
import { messageOf } from '../core/errors.ts'
import type { Memory } from '../memory/service.ts'
import type { Embedding } from '../ports/embedding.ts'
import type { Log } from '../ports/log.ts'
import { openBreakers } from './breakers.ts'
import { openBucket, withSecrets } from './cloud-ports.ts'
import { openEmbedding } from './embedding.ts'

/**
 * The ports of memory in a function: its files lie in the bucket, beside what is made of them and the long texts of rows.
 * The bucket reports its changes to a queue, which an emulator of it does not; the tick looks at either.
 */
export const openMemoryPorts = (config: Config, ports: AuthPorts): WatchedMemoryPorts => {
  const bucket = openBucket(config)
  return {
    ...ports,
    memoryFiles: createS3Memory(bucket),
    isMemoryShared: true,
    memoryCopies: createS3Blobs(bucket),
    embedding: lazyEmbedding(config, ports),
    watchingMemory: () => ({ enabled: true, watching: config.S3_ENDPOINT === undefined }),
  }
}

/**
 * The model that memory is searched with, if one is named. The key of its provider is read with the first text: a model that
 * cannot be called leaves the search by words as it is, and the next text tries again.
 */
const lazyEmbedding = (config: Config, { clock }: Pick<AuthPorts, 'clock'>): Embedding | undefined => {
  const { EMBEDDING_MODEL: model } = config
  if (model === undefined) return undefined
  const breakers = openBreakers(clock)
  let opened: Promise<Embedding> | undefined
  const open = async () => {
    const { providers } = await withSecrets(config)
    return openEmbedding(model, { providers, breakers, clock })
  }
  const there = () => {
    opened ??= open().catch((thrown) => {
      opened = undefined
      throw thrown
    })
    return opened
  }
  return {
    model,
    embed: async (...given) => (await there()).embed(...given),
  }
}

/**
 * The handler of what the bucket reports about memory files. What an event says is not read: events come twice and out of
 * order, while the bucket shows what there is, so that one look takes in all that a batch reports and the next batch finds
 * nothing left. A look that fails has its batch delivered again.
 */
export const createBucketEvents =
  ({ memory, log }: { memory: Pick<Memory, 'syncIfChanged'>; log: Pick<Log, 'warn'> }) =>
  async ({ Records }: SqsEvent): Promise<SqsBatchResponse> => {
    try {
      await memory.syncIfChanged()
      return { batchItemFailures: [] }
    } catch (thrown) {
      log.warn(
        { events: Records.length, reason: messageOf(thrown) },
        'memory looks at its bucket again later',
      )
      return { batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })) }
    }
  }
