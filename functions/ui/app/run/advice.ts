/** Advice by error code. */
const advice: Readonly<Record<string, string>> = {
  cancelled: 'Everything so far is kept. Send another message to continue.',
  orphaned: 'No one was watching for too long. Send another message to continue.',
  timeout: 'It reached the time limit of a turn. Ask for less at once, or send another message to continue.',
  shutdown: 'Send the message again.',
  interrupted: 'The service was restarted. Send the message again in 15 seconds.',
  provider_error: 'The model provider failed. Check its key and status, then send the message again.',
  rate_limited: 'The model provider is rate limiting. Wait a moment, then send the message again.',
  model_unknown: 'Choose another model.',
  tools_unsupported: 'Choose another model, or the mode without tools.',
  turn_under_way: 'Wait for its answer. After a restart of the service, wait 15 seconds.',
  approval_pending: 'Allow or deny the pending tool calls above.',
  message_too_long: 'Shorten it, or start a new conversation.',
  conversation_not_found: 'It may have been deleted in another window.',
}

export const adviceFor = (code: string): string | undefined => advice[code.toLowerCase()]

/** Codes of a service without a model provider; the second one is used by functions. */
const WITHOUT_PROVIDER: ReadonlySet<string> = new Set(['no_provider', 'models_unavailable'])

export const isWithoutProvider = (code: string): boolean => WITHOUT_PROVIDER.has(code.toLowerCase())
