import type { SecurityMode } from '../../core/security-mode.ts'
import { sendTurn } from '../chat-turn.ts'
import { defineCommand } from '../command.ts'
import { EXIT, UsageError } from '../exit-codes.ts'
import { budgetOption, modeOption, parseBudget, parseMode } from '../mode-and-budget.ts'
import type { Service } from '../service.ts'
import { findConversationId } from '../short-id.ts'
import { interruptible, safeLine, type Terminal } from '../terminal.ts'

type Options = {
  mode: SecurityMode
  model: string | undefined
  maxBudget: number | undefined
  json: boolean
  service: Service
  terminal: Terminal
}
type Ask = (question: string) => Promise<string | undefined>

const isYes = (answer = '') => /^y(?:es)?$/i.test(answer.trim())

/** With all arguments: nothing is allowed unread. */
const questionAbout = (call: { name: string; arguments: unknown }): string =>
  `Allow ${safeLine(call.name)} ${safeLine(JSON.stringify(call.arguments ?? {}))}? [y/N] `

/** One message and its answer. Ctrl-C stops the turn; what was said until then is kept. */
const converse = async (
  conversationId: string,
  content: string,
  { mode, json, service, terminal, ...options }: Options,
  ask: Ask | undefined,
  signal: AbortSignal,
) => {
  let last = ''
  const write = (text: string) => {
    if (json || text === '') return
    last = text
    terminal.write(text)
  }
  const decide =
    ask && (async (call: { name: string; arguments: unknown }) => isYes(await ask(questionAbout(call))))
  const stop = () => void service.client.cancelTurn({ params: { id: conversationId } }).catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await sendTurn(mode, {
      ...options,
      service,
      terminal,
      conversationId,
      content,
      write,
      decide,
      signal,
    })
  } finally {
    signal.removeEventListener('abort', stop)
    if (last !== '' && !last.endsWith('\n')) terminal.write('\n')
  }
}

const resumeLine = (id: string) => `Continue: agent-tasks chat --conversation ${safeLine(id)}`

const sayOnce = async (id: string, content: string, options: Options): Promise<number> => {
  const { json, terminal } = options
  const mayAsk = !json && terminal.isInteractive
  using waiting = interruptible()
  using prompt = mayAsk ? terminal.prompt() : undefined
  prompt?.onInterrupt(waiting.stop)
  try {
    const answer = await converse(id, content, options, prompt?.ask, waiting.signal)
    if (json) terminal.json({ conversationId: id, ...answer })
    else terminal.say(resumeLine(id))
    return EXIT.done
  } catch (error) {
    if (!waiting.signal.aborted) throw error
    terminal.say(`\nStopped. ${resumeLine(id)}`)
    return EXIT.interrupted
  }
}

/** Message by message, until Ctrl-D. An error of a turn does not end the conversation. */
const talk = async (id: string, options: Options): Promise<number> => {
  const { terminal } = options
  using prompt = terminal.prompt()
  terminal.say('Press Ctrl-C to stop an answer, Ctrl-D to quit.')
  for (;;) {
    const content = await prompt.ask('> ')
    if (content === undefined) break
    if (content.trim() === '') continue
    const turn = new AbortController()
    prompt.onInterrupt(() => turn.abort())
    try {
      await converse(id, content, options, prompt.ask, turn.signal)
    } catch (error) {
      terminal.say(
        turn.signal.aborted ? 'Stopped.' : safeLine(error instanceof Error ? error.message : String(error)),
      )
    } finally {
      prompt.onInterrupt(undefined)
    }
  }
  terminal.say(`\n${resumeLine(id)}`)
  return EXIT.done
}

export const chat = defineCommand({
  name: 'chat',
  usage: '["<message>"] [options]',
  about: 'Send a message and print the answer as it arrives. Without a message, start an interactive chat.',
  details: `Use - as the message to read it from standard input. Continue a conversation later with --conversation. In mode full the model
uses all tools without asking. In mode deny it has no tools. In the other modes the answer is printed when it is complete, and
calls that need approval are asked about here, or wait for agent-tasks approve.`,
  options: {
    conversation: { type: 'string', value: 'id', about: 'continue this conversation' },
    model: {
      type: 'string',
      value: 'provider/model',
      about: 'the model; the default model of the service if not set',
    },
    ...modeOption,
    ...budgetOption,
  },
  words: [0, 1],
  run: async ({ values, words: [given], terminal, service }) => {
    const { json = false, conversation, model } = values
    const asked = parseMode(values.mode, 'chat')
    const maxBudget = parseBudget(values.budget, 'chat')
    if (given === undefined && (json || !terminal.isInteractive))
      throw new UsageError(
        'A message is missing: agent-tasks chat "<message>". Use - to read it from standard input',
        'chat',
      )
    const content = given === '-' ? await terminal.input() : given
    if (content?.trim() === '') throw new UsageError('The message is empty', 'chat')
    const connected = service()
    const { client } = connected
    const mode = asked ?? (await client.getPolicy()).policy.defaultMode
    if (maxBudget !== undefined && mode !== 'full')
      throw new UsageError('--budget applies to mode full only', 'chat')
    const id =
      conversation === undefined
        ? (await client.createConversation({ body: {} })).conversation.id
        : await findConversationId(connected, conversation)
    const options = { mode, model, maxBudget, json, service: connected, terminal }
    return content === undefined ? talk(id, options) : sayOnce(id, content, options)
  },
})
