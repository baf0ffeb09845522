import { serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'
import { openBlobs } from '../lib/app/cloud-ports.ts'
import { conversationRoutes } from '../lib/chat/contract.ts'
import { conversationHandlers } from '../lib/chat/handlers.ts'
import { composeConversationEnds } from '../lib/composition/chat.ts'
import { composeApprovals } from '../lib/composition/security.ts'
import { createFeed } from '../lib/feed/feed.ts'
import { createTaskReads } from '../lib/tasks/read.ts'
import { createConversations } from '../lib/turns/conversations.ts'

/** Conversations; the streaming function serves the routes that call models. */
export const handler = serveGroup(
  conversationRoutes,
  openGroup(({ ports }) => {
    const feed = createFeed(ports)
    const taskExists = createTaskReads({ ...ports, feed }).exists
    const conversations = createConversations({ ...ports, taskExists })
    const approvals = composeApprovals(ports)
    const ends = composeConversationEnds({ conversations, approvals }, { ...ports, feed })
    return conversationHandlers({ conversations, ...ends })
  }, openBlobs),
)
