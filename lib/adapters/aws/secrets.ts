import type { SSMClient } from '@aws-sdk/client-ssm'

/** The parameters below a path as environment variables, by the last part of their names. */
export const readSecrets = async (client: SSMClient, path: string): Promise<Record<string, string>> => {
  const { paginateGetParametersByPath } = await import('@aws-sdk/client-ssm')
  const secrets: Record<string, string> = {}
  for await (const page of paginateGetParametersByPath({ client }, { Path: path, WithDecryption: true }))
    for (const { Name, Value } of page.Parameters ?? [])
      if (Value !== undefined) secrets[variableIn(Name)] = Value
  return secrets
}

/** The names that `readSecrets` would return, for roles that may not read the values. */
export const listSecrets = async (client: SSMClient, path: string): Promise<string[]> => {
  const { paginateDescribeParameters } = await import('@aws-sdk/client-ssm')
  const ParameterFilters = [{ Key: 'Path', Option: 'OneLevel', Values: [path] }]
  const pages = await Array.fromAsync(paginateDescribeParameters({ client }, { ParameterFilters }))
  return pages.flatMap(({ Parameters = [] }) => Parameters.map(({ Name }) => variableIn(Name)))
}

const variableIn = (name = ''): string => name.slice(name.lastIndexOf('/') + 1)
