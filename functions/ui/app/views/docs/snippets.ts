import { shellWord } from '../../components/shell-word.ts'
import type { Language } from './languages.ts'

export type Call = {
  operationId: string
  method: string
  path: string
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string>>
  body?: string
  isStream: boolean
  needsSession: boolean
}

const queryText = (query: Call['query']) => {
  const text = new URLSearchParams(query).toString()
  return text && `?${text}`
}

/** Relative to the service. */
export const callUrl = ({ path, params, query }: Pick<Call, 'path' | 'params' | 'query'>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(params[name] ?? '')) +
  queryText(query)

const curl = (call: Call, origin: string): string => {
  const { method, headers, body, isStream, needsSession } = call
  const parts = [
    `curl -s${isStream ? 'N' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${shellWord(origin + callUrl(call))}`,
    ...(needsSession ? [`-H "authorization: Bearer $TOKEN"`] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${shellWord(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

const indented = (text: string) => text.replaceAll('\n', '\n  ')

const propertyName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const objectLiteral = (values: Readonly<Record<string, string>>) =>
  `{ ${Object.entries(values)
    .map(([name, value]) => `${propertyName(name)}: ${JSON.stringify(value)}`)
    .join(', ')} }`

const typescript = (call: Call, origin: string): string => {
  const { operationId, params, query, headers, body, isStream, needsSession } = call
  const given = [
    ...(Object.keys(params).length > 0 ? [`params: ${objectLiteral(params)}`] : []),
    ...(Object.keys(query).length > 0 ? [`query: ${objectLiteral(query)}`] : []),
    ...(body === undefined ? [] : [`body: ${indented(body)}`]),
  ]
  const input = given.length > 0 ? `{\n  ${given.join(',\n  ')},\n}` : ''
  const options = Object.keys(headers).length > 0 ? `, { headers: ${objectLiteral(headers)} }` : ''
  const args = options ? `${input || '{}'}${options}` : input
  const token = needsSession ? ', token: process.env.TOKEN' : ''
  const connect = `const client = connect({ baseUrl: ${JSON.stringify(origin)}${token} })`
  if (!isStream)
    return `import { connect } from 'agent-task-client'\n\n${connect}\nconst answer = await client.${operationId}(${args})\n`
  return [
    `import { connect, eventsIn } from 'agent-task-client'\n`,
    connect,
    `const { body } = await client.${operationId}.raw(${args})`,
    'if (body)',
    '  for await (const events of eventsIn(body))',
    '    for (const { data } of events) console.log(JSON.parse(data))\n',
  ].join('\n')
}

const first = ({ params }: Call) => shellWord(Object.values(params)[0] ?? '')

/** Empty for a body that is not an object, such as one that is being typed. */
const fieldsIn = (body = ''): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Task fields that `run` has options for. */
const runOptions: Readonly<Record<string, string>> = {
  repository: 'repo',
  branch: 'branch',
  assignedAgent: 'agent',
  priority: 'priority',
}

/** Operations with their own command; `api` calls all others. */
const commands: Readonly<Record<string, (call: Call) => string>> = {
  createTask: (call) => {
    const { title, prompt, labels = [], ...rest } = fieldsIn(call.body)
    const isKnown = Object.keys(rest).every((name) => Object.hasOwn(runOptions, name))
    const isRun = isKnown && typeof title === 'string' && Array.isArray(labels)
    if (!isRun || Object.keys(call.headers).length > 0) return anyCommand(call)
    const options = [
      ...(prompt === undefined ? [] : [['title', title]]),
      ...Object.entries(rest).map(([name, value]) => [runOptions[name], value]),
      ...labels.map((label) => ['label', label]),
    ]
    const more = options.map(([name, value]) => `--${name} ${shellWord(String(value))}`)
    return ['run', shellWord(String(prompt ?? title)), ...more].join(' ')
  },
  filterTasks: ({ query }) => {
    const { limit, cursor, offset: _, sortBy: _by, sortOrder: _order, ...filter } = query
    const more = Object.entries(filter).map(([name, value]) => `--filter ${shellWord(`${name}=${value}`)}`)
    const page = { limit, cursor }
    const places = Object.entries(page).flatMap(([name, value]) =>
      value ? [`--${name} ${shellWord(value)}`] : [],
    )
    return ['ls', ...more, ...places].join(' ')
  },
  taskEvents: (call) => `logs ${first(call)}`,
  cancelTask: (call) => `cancel ${first(call)}`,
  retryTask: (call) => `retry ${first(call)}`,
  listDlq: ({ query: { status } }) => `dlq list${status ? ` --status ${shellWord(status)}` : ''}`,
  retryDlqItem: (call) => `dlq retry ${first(call)}`,
  discardDlqItem: (call) => `dlq discard ${first(call)}`,
}

const anyCommand = ({ operationId, params, query, headers, body }: Call): string =>
  [
    `api ${operationId}`,
    ...Object.entries({ ...params, ...query }).map(([name, value]) => shellWord(`${name}=${value}`)),
    ...Object.entries(headers).map(([name, value]) => `--header ${shellWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--body ${shellWord(body)}`]),
  ].join(' ')

const cli = (call: Call, origin: string): string => {
  const own = commands[call.operationId] ?? anyCommand
  const address = origin === 'http://127.0.0.1:3000' ? '' : `AGENT_TASKS_URL=${shellWord(origin)} `
  return `${address}npx agent-tasks ${own(call)}`
}

const writers: Readonly<Record<Language, (call: Call, origin: string) => string>> = { curl, typescript, cli }

export const callSnippet = (language: Language, call: Call, origin: string): string =>
  writers[language](call, origin)
