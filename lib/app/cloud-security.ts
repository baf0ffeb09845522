import { openS3 } from '../adapters/aws/clients.ts'
import { createS3Blobs } from '../adapters/aws/s3.ts'
import { createRequestMetrics } from '../health/request-metrics.ts'
import type { Handlers, Routes } from '../http/route.ts'
import { createAuthContext } from '../join/auth-context.ts'
import { joinSecurity, type Security } from '../join/security.ts'
import { required } from './cloud.ts'
import { openBasePorts } from './cloud-base.ts'
import type { Open } from './cloud-http.ts'

/** Opens the function of policy, audit and approvals: arguments and results of tools that are long lie in the bucket. */
export const openSecurity =
  <R extends Routes>(handlersOf: (security: Security) => Handlers<R>): Open<R> =>
  (config) => {
    const client = openS3({ region: config.AWS_REGION, endpoint: config.S3_ENDPOINT })
    const ports = openBasePorts(config, createS3Blobs({ client, bucket: required(config, 'FILES_BUCKET') }))
    const entry = createAuthContext(ports, config)
    const handlers = handlersOf(joinSecurity(entry, ports, config))
    return { entry, ports, requests: createRequestMetrics(ports), handlers }
  }
