import { createFeed } from '../lib/adapters/store/feed.ts'
import { serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'
import { openBlobs } from '../lib/app/cloud-ports.ts'
import { conversationRoutes } from '../lib/chat/contract.ts'
import { createConversations } from '../lib/chat/conversations.ts'
import { conversationHandlers } from '../lib/chat/handlers.ts'
import { joinConversationEnds } from '../lib/join/conversations.ts'
import { joinApprovals } from '../lib/join/security.ts'

/** Conversations; what calls models is served by the streaming function. */
export const handler = serveGroup(
  conversationRoutes,
  openGroup(({ ports }) => {
    const conversations = createConversations(ports)
    const given = { conversations, approvals: joinApprovals(ports) }
    const ends = joinConversationEnds(given, { ...ports, feed: createFeed(ports) })
    return conversationHandlers({ conversations, ...ends })
  }, openBlobs),
)
