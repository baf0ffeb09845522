/** Advice by error code. */
const advice: Readonly<Record<string, string>> = {
  cancelled: 'What was said and done until then is kept. Send another message to go on.',
  orphaned: 'Its page was closed for too long. Send another message to go on.',
  timeout: 'It took longer than a turn may. Ask for less at once, or send another message to go on.',
  shutdown: 'Send the message again.',
  interrupted: 'The service was restarted. Send the message again in 15 seconds.',
  provider_error: 'The model provider failed. Look at its key and its status, then send the message again.',
  rate_limited: 'The model provider lets nothing more through. Wait a moment, then send the message again.',
  model_unknown: 'Choose another model.',
  tools_unsupported: 'Choose another model, or the mode without tools.',
  turn_under_way: 'Wait until its answer is there; after a restart of the service, for 15 seconds.',
  approval_pending: 'Decide on the tool calls that wait, above.',
  message_too_long: 'Say it in fewer words, or in a conversation of its own.',
  conversation_not_found: 'It may have been deleted in another window.',
}

export const adviceFor = (code: string): string | undefined => advice[code.toLowerCase()]

/** Codes of a service without a model provider; the second one is used by functions. */
const WITHOUT_PROVIDER: ReadonlySet<string> = new Set(['no_provider', 'models_unavailable'])

export const isWithoutProvider = (code: string): boolean => WITHOUT_PROVIDER.has(code.toLowerCase())
