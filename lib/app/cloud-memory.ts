import { createS3Blobs } from '../adapters/aws/s3.ts'
import { createS3Memory } from '../adapters/aws/s3-memory.ts'
import type { SqsBatchResponse, SqsEvent } from '../adapters/aws/sqs/sqs-batch.ts'
import type { AuthPorts } from '../composition/auth.ts'
import type { WatchedMemoryPorts } from '../composition/chat.ts'
import type { Config } from '../config/config.ts'
import { errorMessage } from '../core/errors.ts'
import type { Memory } from '../memory/service.ts'
import type { Embedding } from '../ports/embedding.ts'
import type { Log } from '../ports/log.ts'
import { openBucket } from './cloud-ports.ts'
import { openedWithSecrets } from './cloud-secrets.ts'
import { openBreakers, openEmbedding } from './providers.ts'

/** The ports of memory in a function: files in the bucket, which reports changes to a queue; an emulator does not. */
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

/** The embedding model. Its provider's key is read at the first text; without one the search goes by words. */
const lazyEmbedding = (
  config: Config,
  { clock, masker }: Pick<AuthPorts, 'clock' | 'masker'>,
): Embedding | undefined => {
  const { EMBEDDING_MODEL: model } = config
  if (model === undefined) return undefined
  const breakers = openBreakers(clock)
  const openedEmbedding = openedWithSecrets(
    ({ providers }) => openEmbedding(model, { providers, breakers, clock, masker }),
    {
      settings: () => config,
    },
  )
  return {
    model,
    embed: async (...args) => (await openedEmbedding()).embed(...args),
  }
}

/** Handles the bucket's events, which may repeat and be out of order: one check of the bucket covers a whole batch. */
export const createBucketEvents =
  ({ memory, log }: { memory: Pick<Memory, 'syncIfChanged'>; log: Pick<Log, 'warn'> }) =>
  async ({ Records }: SqsEvent): Promise<SqsBatchResponse> => {
    try {
      await memory.syncIfChanged()
      return { batchItemFailures: [] }
    } catch (thrown) {
      log.warn(
        { events: Records.length, reason: errorMessage(thrown) },
        'memory looks at its bucket again later',
      )
      return { batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })) }
    }
  }
