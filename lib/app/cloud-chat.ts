import { openS3 } from '../adapters/aws/clients.ts'
import { createS3Blobs } from '../adapters/aws/s3.ts'
import { createFeed } from '../adapters/store/feed.ts'
import type { conversationRoutes } from '../chat/contract.ts'
import { createConversations } from '../chat/conversations.ts'
import { conversationHandlers } from '../chat/handlers.ts'
import { createRequestMetrics } from '../health/request-metrics.ts'
import { createAuthContext } from '../join/auth-context.ts'
import { joinConversationEnds } from '../join/conversations.ts'
import { joinApprovals } from '../join/security.ts'
import { required } from './cloud.ts'
import { openBasePorts } from './cloud-base.ts'
import type { Open } from './cloud-http.ts'

/** Opens the function of conversations. */
export const openConversations: Open<typeof conversationRoutes> = (config) => {
  const client = openS3({ region: config.AWS_REGION, endpoint: config.S3_ENDPOINT })
  const ports = openBasePorts(config, createS3Blobs({ client, bucket: required(config, 'FILES_BUCKET') }))
  const entry = createAuthContext(ports, config)
  const conversations = createConversations(ports)
  const ends = joinConversationEnds(
    { conversations, approvals: joinApprovals(ports) },
    { ...ports, feed: createFeed(ports) },
  )
  const handlers = conversationHandlers({ conversations, ...ends })
  return { entry, ports, requests: createRequestMetrics(ports), handlers }
}
