import { errorMessage } from '../core/errors.ts'
import { createOpenStream, type OpenStreams } from '../http/event-stream.ts'
import type { Call, Handlers } from '../http/route.ts'
import type { Clock } from '../ports/clock.ts'
import type { Models, ProviderStatus } from '../ports/model.ts'
import type { Conversations } from '../turns/conversations.ts'
import type { ConversationRemoval } from '../turns/removal.ts'
import type { Turns } from '../turns/service.ts'
import type { CompletionBody, chatRoutes, conversationRoutes, modelRoutes } from './contract.ts'
import type { Chat } from './service.ts'

/** The kinds of model providers, and the state of the configured ones. */
const listProviders = async (models: Models) => {
  const look = async ({ type, name, configured }: ProviderStatus) => {
    if (!configured) return { type, name, configured, healthy: false }
    const { healthy, message } = await models
      .health(type)
      .catch((thrown: unknown) => ({ healthy: false, message: errorMessage(thrown) }))
    return { type, name, configured, healthy, message }
  }
  return {
    default: models.resolve({}).provider,
    providers: await Promise.all(models.providers().map(look)),
  }
}

type ConversationNeeds = {
  conversations: Conversations
  conversationRemoval: Pick<ConversationRemoval, 'remove'>
  cancelTurn: Turns['cancel']
}

export const conversationHandlers = (needs: ConversationNeeds): Handlers<typeof conversationRoutes> => ({
  listConversations: ({ query }, { principal }) => needs.conversations.list(principal, query),
  createConversation: async ({ body }, { principal }) => ({
    conversation: await needs.conversations.create(principal, body),
  }),
  getConversation: ({ params, query }, { principal }) => needs.conversations.get(principal, params.id, query),
  renameConversation: async ({ params, body }, { principal }) => ({
    conversation: await needs.conversations.rename(principal, params.id, body.title),
  }),
  removeConversation: async ({ params }, { principal }) => {
    await needs.conversationRemoval.remove(principal, params.id)
    return { message: 'Conversation deleted' }
  },
  cancelTurn: async ({ params }, { principal }) => {
    await needs.cancelTurn(principal, params.id)
    return { message: 'The turn is being cancelled' }
  },
})

type ModelNeeds = { chat: Chat; clock: Clock; openStreams: OpenStreams }

export const modelHandlers = ({ chat, ...needs }: ModelNeeds): Handlers<typeof modelRoutes> => {
  const openStream = createOpenStream(needs)
  const streamed = (body: CompletionBody, call: Call, withMemory: boolean) =>
    openStream(call, (gone) => chat.completions.stream(call.principal, body, { withMemory, gone }))
  const completion = (body: CompletionBody, { principal, gone }: Call) =>
    chat.completions.complete(principal, body, gone())
  return {
    createCompletion: ({ body }, call) =>
      body.stream ? streamed(body, call, false) : completion(body, call),
    quickChat: ({ body }, { principal, gone }) => chat.completions.quick(principal, body, gone()),
    smartChat: ({ body }, call) =>
      body.stream ? streamed(body, call, true) : chat.completions.smart(call.principal, body, call.gone()),
    listProviders: () => listProviders(chat.models),
    listModels: async ({ query }) => ({ models: [...(await chat.models.models(query.provider))] }),
    sendMessage: ({ params, body }, { principal }) => chat.send.send(principal, params.id, body),
    sendMessageWithTools: ({ params, body }, { principal }) =>
      chat.send.sendWithTools(principal, params.id, body),
  }
}

export const chatHandlers = (needs: ConversationNeeds & ModelNeeds): Handlers<typeof chatRoutes> => ({
  ...conversationHandlers(needs),
  ...modelHandlers(needs),
})
