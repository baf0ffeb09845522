import { openS3 } from '../adapters/aws/clients.ts'
import { createS3Blobs } from '../adapters/aws/s3.ts'
import { createS3Memory } from '../adapters/aws/s3-memory.ts'
import type { Config } from '../config.ts'
import { Problem } from '../core/errors.ts'
import { createRequestMetrics } from '../health/request-metrics.ts'
import { type AuthContext, type AuthPorts, createAuthContext } from '../join/auth-context.ts'
import { joinMemory } from '../join/memory.ts'
import type { memoryRoutes } from '../memory/contract.ts'
import { memoryHandlers } from '../memory/handlers.ts'
import { required } from './cloud.ts'
import { openBasePorts } from './cloud-base.ts'
import type { Open } from './cloud-http.ts'

/** The bucket that memory files lie in, and what is made of them. */
const openFiles = (config: Config) => {
  const client = openS3({ region: config.AWS_REGION, endpoint: config.S3_ENDPOINT })
  const bucket = required(config, 'FILES_BUCKET')
  return { blobs: createS3Blobs({ client, bucket }), memoryFiles: createS3Memory({ client, bucket }) }
}

/** Nothing hears of changes in a bucket; the tick looks at it. */
const watchingMemory = () => ({ enabled: true, watching: false })

/** Memory in a function that has other things to do as well; its storage keeps long texts in the same bucket. */
export const joinCloudMemory = (entry: Pick<AuthContext, 'audit'>, ports: AuthPorts, config: Config) => {
  const { blobs, memoryFiles } = openFiles(config)
  return joinMemory(entry, { ...ports, memoryFiles, compiledMemory: blobs, watchingMemory })
}

/** The library that speaks to models is in no bundle but those of the container. */
const byMeaning = (): never => {
  throw new Problem(
    'unsupported',
    'embedding_model_unsupported',
    'EMBEDDING_MODEL: mode pro searches memory by words only; leave it unset',
  )
}

/** Opens the function of memory. */
export const openMemory: Open<typeof memoryRoutes> = (config) => {
  const { blobs, memoryFiles } = openFiles(config)
  const ports = openBasePorts(config, blobs)
  const entry = createAuthContext(ports, config)
  const memory = joinMemory(entry, { ...ports, memoryFiles, compiledMemory: blobs, watchingMemory })
  const handlers = memoryHandlers({ memory })
  const more = config.EMBEDDING_MODEL === undefined ? {} : { searchMemory: byMeaning, syncMemory: byMeaning }
  return { entry, ports, requests: createRequestMetrics(ports), handlers: { ...handlers, ...more } }
}
