import { serveGroup } from '../lib/app/cloud.ts'
import { conversationRoutes } from '../lib/chat/contract.ts'
import { conversationHandlers } from '../lib/chat/handlers.ts'

/** Conversations; the streaming function serves the routes that call models. */
export const handler = serveGroup(conversationRoutes, conversationHandlers)
