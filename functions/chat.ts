import { openConversations } from '../lib/app/cloud-chat.ts'
import { serveGroup } from '../lib/app/cloud-http.ts'
import { conversationRoutes } from '../lib/chat/contract.ts'

/** Conversations; what calls models is served by the streaming function. */
export const handler = serveGroup(conversationRoutes, openConversations)
