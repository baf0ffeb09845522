import { routes } from '../../api/routes.ts'
import type { Route } from '../../http/route.ts'
import { columns, defineCommand } from '../command.ts'
import { EXIT, UsageError } from '../exit-codes.ts'
import { operationHelp } from '../operation-help.ts'
import type { Service } from '../service.ts'
import { safeLine } from '../terminal.ts'

const everyRoute: Readonly<Record<string, Route>> = routes

const list = () =>
  columns(
    Object.entries(everyRoute).map(([name, { method, path, summary }]) => [
      name,
      `${`${method} ${path}`.padEnd(58)}  ${summary}`,
    ]),
  )

const findRoute = (name: string): Route => {
  const route = Object.hasOwn(everyRoute, name) ? everyRoute[name] : undefined
  if (route) return route
  throw new UsageError(`Unknown operation ${safeLine(name)}. List them with: agent-tasks api`, 'api')
}

/** The name and the value around the first separator of a text. */
const pairIn = (text: string, separator: string, form: string): [string, string] => {
  const at = text.indexOf(separator)
  if (at < 1) throw new UsageError(`${form}, not ${safeLine(text)}`, 'api')
  return [text.slice(0, at), text.slice(at + 1)]
}

const headerIn = (text: string): [string, string] => {
  const [name, value] = pairIn(text, ':', 'A header has the form name: value')
  return [name.trim(), value.trim()]
}

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('--body is not valid JSON. Use - to read it from standard input', 'api')
  }
}

/** Puts each parameter in its place: into the path or the query. */
const placeParameters = ({ path }: Route, words: readonly string[]) => {
  const pairs = words.map((word) => pairIn(word, '=', 'A parameter has the form name=value'))
  const isInPath = ([name]: [string, string]) => path.includes(`{${name}}`)
  const missing = [...path.matchAll(/\{(\w+)\}/g)].find(([, name]) => !pairs.some(([each]) => each === name))
  if (missing) throw new UsageError(`Missing parameter: ${missing[1]}=…`, 'api')
  return {
    params: Object.fromEntries(pairs.filter(isInPath)),
    query: Object.fromEntries(pairs.filter((pair) => !isInPath(pair))),
  }
}

type Raw = (input: object, options: { headers: Record<string, string> }) => Promise<Response>

const rawCall = ({ client }: Service, name: string): Raw =>
  (client as unknown as Record<string, { raw: Raw }>)[name]?.raw as Raw

export const api = defineCommand({
  name: 'api',
  usage: '[<operation> [name=value …]] [options]',
  about: 'Call an API operation by name. Without a name, list all operations.',
  details: `The response is written to standard output as it arrives. agent-tasks api <operation> --help lists the fields of request and response.`,
  options: {
    body: { type: 'string', value: 'json', about: 'the request body; - reads it from standard input' },
    header: {
      type: 'string',
      multiple: true,
      value: 'name: value',
      about: 'a request header; can be repeated',
    },
  },
  words: [0, 100],
  help: async ({ words: [name] }) => {
    if (name === undefined) return undefined
    const { document } = await import('../../api/document.ts')
    return operationHelp(name, findRoute(name), document)
  },
  run: async ({ values: { body, header = [], json = false }, words: [name, ...rest], terminal, service }) => {
    if (name === undefined) {
      if (json) terminal.json(Object.keys(everyRoute))
      else terminal.out(list())
      return EXIT.done
    }
    const route = findRoute(name)
    const input = {
      ...placeParameters(route, rest),
      ...(body === undefined ? {} : { body: jsonIn(body === '-' ? await terminal.input() : body) }),
    }
    const answer = await rawCall(service(), name)(input, {
      headers: Object.fromEntries(header.map(headerIn)),
    })
    if (json) terminal.json(jsonOrText(await answer.text()))
    else if (answer.body)
      for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) terminal.write(piece)
    return EXIT.done
  },
})

/** A text that is not JSON, such as a stream of events, is printed as a JSON string. */
const jsonOrText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
