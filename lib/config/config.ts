import type * as z from 'zod'
import { badSetting } from '../core/bad-setting.ts'
import { issueText } from '../core/issue-text.ts'
import { secretFault } from '../core/secret-forms.ts'
import { Environment } from './environment.ts'
import { type Families, families, familyNames, variable } from './families.ts'
import { isSecretName, secretsIn, tooShortToMask, withoutLineBreaks } from './secrets.ts'

/**
 * Every setting, validated, under the name of its environment variable; those of providers by kind. `given` names the
 * variables that the environment has: they take precedence over stored settings. `secrets` are masked in output;
 * `tooShortToMask` names the settings whose secret is too short to mask.
 */
export type Config = z.output<typeof Environment> &
  Families & { given: ReadonlySet<string>; secrets: readonly string[]; tooShortToMask: readonly string[] }

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Reads the environment once. An empty variable counts as unset, and line breaks around a secret are not part of it.
 * Throws Problem `bad_setting` that names every wrong variable and its allowed values.
 */
export const readConfig = (environment: Variables = process.env): Config => {
  const given: Variables = Object.fromEntries(
    Object.entries(environment)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value = '']) => [name, secretNames.includes(name) ? withoutLineBreaks(value) : value]),
  )
  const wrong = secretNames.flatMap((name) => {
    const fault = given[name] === undefined ? undefined : secretFault(given[name])
    return fault === undefined ? [] : [`${name}: ${fault}`]
  })
  const parse = <T extends z.ZodType>(
    schema: T,
    values: unknown,
    variableName = (field: string) => field,
  ) => {
    // Compiling these schemas takes longer than the one parse of a process.
    const parsed = schema.safeParse(values, { error: issueText, jitless: true })
    for (const issue of parsed.error?.issues ?? [])
      wrong.push(`${variableName(String(issue.path[0] ?? ''))}: ${issue.message}`)
    return parsed.data
  }
  const settings = parse(Environment, given)
  const byKind = Object.fromEntries(
    Object.entries(families).map(([family, { kinds, schema }]) => [
      family,
      Object.fromEntries(
        kinds.map((kind) => [
          kind,
          parse(schema, kindValues(given, kind, schema), (field) => variable(kind, field)),
        ]),
      ),
    ]),
  )
  if (settings === undefined || wrong.length > 0) throw badSetting(wrong.join('; '))
  refuseHalf(settings)
  return {
    ...settings,
    ...(byKind as unknown as Families),
    given: new Set(Object.keys(given)),
    secrets: secretsIn(given, settingNames),
    tooShortToMask: tooShortToMask(given, secretNames),
  }
}

/** Reads as `readConfig` does, but only these settings. A wrong value of another setting is no error here. */
export const readSome = <const Name extends keyof z.output<typeof Environment>>(
  names: readonly Name[],
  environment: Variables = process.env,
): Pick<Config, Name> => readConfig(Object.fromEntries(names.map((name) => [name, environment[name]])))

/** Reads as `readConfig` does, with variables from outside of the environment. */
export const readConfigWith = (more: Readonly<Record<string, string>>): Config =>
  readConfig({ ...process.env, ...more })

const kindValues = (given: Variables, kind: string, schema: z.ZodObject) =>
  Object.fromEntries(Object.keys(schema.shape).map((field) => [field, given[variable(kind, field)]]))

/** Refuses settings without those that they depend on. */
const refuseHalf = (settings: z.output<typeof Environment>) => {
  const { AUTH_MODE, OIDC_ISSUER, OIDC_CLIENT_ID, SERVICE_MODE, SMTP_URL, SMTP_FROM, PUBLIC_URL } = settings
  if (AUTH_MODE === 'oidc' && (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined))
    throw badSetting('AUTH_MODE: oidc requires OIDC_ISSUER and OIDC_CLIENT_ID')
  if (SMTP_URL === undefined) return
  if (SMTP_FROM === undefined || PUBLIC_URL === undefined)
    throw badSetting(
      'SMTP_URL: requires SMTP_FROM, the sender of messages, and PUBLIC_URL, the address of their links',
    )
  if (SERVICE_MODE === 'pro') throw badSetting('SMTP_URL: mode pro cannot send email. Unset it')
}

export const settingNames: readonly string[] = [...Object.keys(Environment.shape), ...familyNames]

export const secretNames: readonly string[] = settingNames.filter(isSecretName)

/** The secrets of the environment, for logs that are written before or without a valid configuration. */
export const environmentSecrets = (): string[] => secretsIn(process.env, settingNames)
