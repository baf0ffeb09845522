import { createS3Blobs } from '../adapters/aws/s3.ts'
import { createS3Memory } from '../adapters/aws/s3-memory.ts'
import type { AuthPorts } from '../composition/auth.ts'
import type { WatchedMemoryPorts } from '../composition/chat.ts'
import type { Config } from '../config.ts'
import type { Embedding } from '../ports/embedding.ts'
import { openBreakers } from './breakers.ts'
import { openBucket } from './cloud-ports.ts'
import { openedWithSecrets } from './cloud-secrets.ts'
import { openEmbedding } from './embedding.ts'

/**
 * The ports of memory in a function: its files lie in the bucket, beside what is made of them and the long texts of rows.
 * No event reports changes in a bucket; the tick looks at it.
 */
export const openMemoryPorts = (config: Config, ports: AuthPorts): WatchedMemoryPorts => {
  const bucket = openBucket(config)
  return {
    ...ports,
    memoryFiles: createS3Memory(bucket),
    isMemoryShared: true,
    memoryCopies: createS3Blobs(bucket),
    embedding: lazyEmbedding(config, ports),
    watchingMemory: () => ({ enabled: true, watching: false }),
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
  const there = openedWithSecrets(({ providers }) => openEmbedding(model, { providers, breakers, clock }), {
    given: () => config,
  })
  return {
    model,
    embed: async (...given) => (await there()).embed(...given),
  }
}
