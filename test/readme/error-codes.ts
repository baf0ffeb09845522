import { globSync } from 'node:fs'
import { parseSync } from '@swc/core'
import type { ProblemKind } from '../../lib/core/errors.ts'
import { statusByKind } from '../../lib/http/problem.ts'
import { readText, root } from './readme.ts'

/** A node of the syntax tree, as far as it is looked at here. */
type Node = { type: string; [key: string]: unknown }
type Scope = { name: string; params: readonly { name: string; fallback: string | undefined }[] }

/** Which argument of a function is the code of an error and which one its kind, where these are not fixed. */
type Maker = { code: number; kind?: number | ProblemKind; fallback?: string | undefined }
/** A call of one; `args` are its arguments. */
type Call = { file: string; name: string; args: readonly Node[]; scope: Scope }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
const identifierName = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Identifier' ? String(node.value) : undefined
const literalText = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'StringLiteral' ? String(node.value) : undefined

/** Visits every node with the named function around it. */
const walk = (value: unknown, scope: Scope, visit: (node: Node, scope: Scope) => void): void => {
  if (Array.isArray(value)) for (const each of value) walk(each, scope, visit)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  if (isNode(value)) visit(value, scope)
  const within = isNode(value) ? scopeWithin(value, scope) : scope
  for (const each of Object.values(value)) walk(each, within, visit)
}

const scopeWithin = (node: Node, scope: Scope): Scope => {
  const made = node.type === 'VariableDeclarator' && isNode(node.init) ? node.init : undefined
  if (made?.type !== 'ArrowFunctionExpression') return scope
  const params = (made.params as Node[]).map((param) => {
    const name = identifierName(param.type === 'AssignmentPattern' ? param.left : param) ?? ''
    return { name, fallback: literalText(param.right) }
  })
  return { name: identifierName(node.id) ?? '', params }
}

/** What an object `{code, message}` is to the rest: an error that is stored or told, under no status. */
const STORED = '{code, message}'

const parsedCall = (node: Node): { name: string; args: readonly Node[] } | undefined => {
  if (node.type === 'ObjectExpression') {
    const fields = (node.properties as Node[]).map((property): [string | undefined, unknown] => [
      identifierName(property.key) ?? identifierName(property),
      property.type === 'Identifier' ? property : property.value,
    ])
    const code = fields.find(([name]) => name === 'code')?.[1]
    return isNode(code) && fields.some(([name]) => name === 'message')
      ? { name: STORED, args: [code] }
      : undefined
  }
  const name = identifierName(node.callee)
  if (name === undefined) return undefined
  return {
    name,
    args: ((node.arguments ?? []) as { expression: Node }[]).map(({ expression }) => expression),
  }
}

type Constants = ReadonlyMap<string, Node>

/** The strings that an argument may be; undefined among them where that cannot be read off. */
const possibleValues = (node: Node | undefined, constants: Constants): (string | undefined)[] => {
  if (node?.type === 'ConditionalExpression')
    return [node.consequent, node.alternate].flatMap((part) => possibleValues(part as Node, constants))
  const constant = constants.get(identifierName(node) ?? '')
  return constant === undefined ? [literalText(node)] : possibleValues(constant, constants)
}

/** Whether a code is handed on from another error: `thrown.code`, `code.toLowerCase()`. */
const isHandedOn = (node: Node): boolean =>
  node.type === 'CallExpression'
    ? isHandedOn(node.callee as Node)
    : node.type === 'MemberExpression' &&
      [identifierName(node.property), identifierName(node.object)].includes('code')

/** The functions that name what was not found, each at the place of the argument that names it. */
const LOOKUPS = ['missing', 'existing']

/** Types of zod’s issues, and words of providers in answers of their form, are no codes of errors. */
const NOT_CODES = new Set(['custom', 'insufficient_quota'])
const DEFINED_IN = 'lib/core/errors.ts'

type Source = { calls: readonly Call[]; constants: Constants }

/** The calls of one file, and its constants that are plain text. */
const parseSource = (file: string): Source => {
  const calls: Call[] = []
  const constants = new Map<string, Node>()
  walk(parseSync(readText(file), { syntax: 'typescript' }).body, { name: '', params: [] }, (node, scope) => {
    const name = node.type === 'VariableDeclarator' ? identifierName(node.id) : undefined
    const isPlain = isNode(node.init) && ['StringLiteral', 'ConditionalExpression'].includes(node.init.type)
    if (name !== undefined && isPlain) constants.set(name, node.init as Node)
    const call = parsedCall(node)
    if (call) calls.push({ file, scope, ...call })
  })
  return { calls, constants }
}

const possibleKinds = ({ args }: Call, { kind }: Maker, constants: Constants): (string | undefined)[] =>
  typeof kind === 'number' ? possibleValues(args[kind], constants) : [kind]

/** What a function is whose caller decides on the code: a maker of errors itself. */
const callerDecides = (call: Call, maker: Maker, constants: Constants): Maker | undefined => {
  const { args, scope } = call
  const parameterIndex = (node: Node | undefined) =>
    scope.params.findIndex(({ name }) => name !== '' && name === identifierName(node))
  const code = parameterIndex(args[maker.code])
  if (code < 0) return undefined
  const kindAt = typeof maker.kind === 'number' ? parameterIndex(args[maker.kind]) : -1
  const kind = kindAt >= 0 ? kindAt : (possibleKinds(call, maker, constants)[0] as ProblemKind | undefined)
  return { code, fallback: scope.params[code]?.fallback, ...(kind === undefined ? {} : { kind }) }
}

/** The codes of one call, undefined for one that cannot be read off. */
const possibleCodes = (
  { args }: Call,
  { code, fallback }: Maker,
  constants: Constants,
): (string | undefined)[] => {
  const given = args[code]
  if (given === undefined) return [fallback]
  return isHandedOn(given) ? [] : possibleValues(given, constants)
}

const isCode = (code: string | undefined): code is string =>
  code !== undefined && !NOT_CODES.has(code) && /^[a-z]/.test(code)

/**
 * Every code of an error in the sources with the statuses that it may be answered with, none where it is stored or told only.
 * `unread` names the files in which a code could not be read off.
 */
export const errorCodes = () => {
  const files = globSync(['lib/**/*.ts', 'functions/*.ts', 'functions/agentic/*.ts'], { cwd: root })
  const sources = files.filter((file) => file !== DEFINED_IN).map(parseSource)
  const makers = new Map<string, Maker>([
    ['Problem', { code: 1, kind: 0 }],
    ['invalid', { code: 1, kind: 'invalid', fallback: 'validation_failed' }],
    [STORED, { code: 0 }],
  ])
  const codes = new Map<string, Set<number>>()
  const unread = new Set<string>()
  const note = (code: string, kind: string | undefined) => {
    const statuses = codes.get(code) ?? new Set()
    codes.set(code, kind === undefined ? statuses : statuses.add(statusByKind[kind as ProblemKind]))
  }

  const take = (call: Call, maker: Maker, constants: Constants): void => {
    const passedOn = callerDecides(call, maker, constants)
    // What only stores errors is not looked for in other files: short names such as `failed` are used in many.
    const { file, scope } = call
    if (passedOn)
      return void makers.set(passedOn.kind === undefined ? `${file} ${scope.name}` : scope.name, passedOn)
    const [found, kinds] = [possibleCodes(call, maker, constants), possibleKinds(call, maker, constants)]
    // What is stored is mostly the error of another place, in a form of its own.
    const isRead = found.length === 0 || ![...found, ...kinds].includes(undefined)
    if (maker.kind !== undefined && !isRead) unread.add(file)
    for (const code of found.filter(isCode)) for (const kind of kinds) note(code, kind)
  }

  const takeAll = ({ calls, constants }: Source): void => {
    for (const call of calls) {
      const maker = makers.get(`${call.file} ${call.name}`) ?? makers.get(call.name)
      if (maker) take(call, maker, constants)
      const what = literalText(call.args[LOOKUPS.indexOf(call.name)])
      if (what) note(`${what.toLowerCase().replaceAll(' ', '_')}_not_found`, 'missing')
    }
  }

  // A function that is found to make errors has callers, which are looked at in the next round.
  for (let known = 0; known < makers.size; ) {
    known = makers.size
    unread.clear()
    sources.forEach(takeAll)
  }
  return { codes, unread: [...unread] }
}
