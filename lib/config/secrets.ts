import * as querystring from 'node:querystring'
import { SHORTEST_MASKED } from '../core/secret-forms.ts'

const SECRET_NAME = /(?:(?:^|_)(?:KEY|SECRET|TOKEN|CREDENTIALS?)|PASSWORD|PASSPHRASE)$/i

/** Headers for a collector of traces, which may contain credentials; OpenTelemetry defines the name. */
const HEADERS = 'OTEL_EXPORTER_OTLP_HEADERS'

/** Whether a variable's name marks it as a secret. Every setting with a secret has such a name: nothing else marks it. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name) || name === HEADERS

/** A secret without the line breaks that files and command substitutions add around it. */
export const withoutLineBreaks = (secret: string): string => secret.replace(/^[\r\n]+|[\r\n]+$/g, '')

/** Variables that are no settings may have such a name for an ordinary word. */
const SHORTEST_OF_OTHERS = 16

type Variables = Readonly<Record<string, string | undefined>>

/**
 * The secrets of the environment: the values of settings and other variables whose name marks a secret (credentials of
 * AWS, tokens of an agent's module), also those that are given to programs of agents, and passwords in URLs.
 */
export const secretsIn = (environment: Variables, settingNames: readonly string[]): string[] => {
  const settings = new Set(settingNames)
  const named = Object.entries(environment).filter(([name]) => isSecretName(name))
  return [
    ...named.flatMap(([name, value = '']) =>
      settings.has(name) || value.length >= SHORTEST_OF_OTHERS ? [value, value.trim()] : [],
    ),
    ...headerValuesIn(environment[HEADERS]),
    ...PROGRAMS.flatMap((name) => programSecretsIn(environment[name])),
    ...Object.values(environment).flatMap((value = '') => passwordsIn(value)),
  ]
}

/** The settings whose secret is too short to mask in texts. */
export const tooShortToMask = (environment: Variables, secretNames: readonly string[]): string[] =>
  secretNames.filter((name) => {
    const { length } = environment[name] ?? ''
    return length > 0 && length < SHORTEST_MASKED
  })

/** Short values are words of ordinary texts. */
const headerValuesIn = (headers = ''): string[] =>
  headers
    .split(',')
    .map((pair) => querystring.unescape(pair.slice(pair.indexOf('=') + 1).trim()))
    .flatMap((value) => [value, value.slice(value.indexOf(' ') + 1)])
    .filter(({ length }) => length >= SHORTEST_OF_OTHERS)

/** The settings that list programs of agents, each with variables of its own. */
const PROGRAMS = ['ACP_AGENTS', 'COMMAND_AGENTS']

const programSecretsIn = (list = ''): string[] => {
  try {
    return [JSON.parse(list)]
      .flat()
      .flatMap((program) => [program, ...[Object(program).mcpServers ?? []].flat()])
      .flatMap((one) => [
        ...Object.entries(Object(Object(one).env)).filter(([name]) => isSecretName(name)),
        ...Object.entries(Object(Object(one).headers)),
      ])
      .flatMap(([, value]) => (typeof value === 'string' ? [value, value.slice(value.indexOf(' ') + 1)] : []))
  } catch {
    // A list that is no JSON has no secrets that are known; the configuration refuses it.
    return []
  }
}

/** A password as it is written in a URL, and as it is sent. */
const passwordsIn = (value: string): string[] => {
  const { password } = URL.parse(value) ?? { password: '' }
  // decodeURIComponent is not used: it throws for a percent sign without two digits.
  return password === '' ? [] : [password, querystring.unescape(password)]
}
