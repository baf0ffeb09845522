import type { SSMClient } from '@aws-sdk/client-ssm'

/**
 * The parameters below a path as environment variables, by the last part of their names. Encrypted parameters are read at
 * the start of a process, and are in no template, image or configuration of a function.
 */
export const readSecrets = async (client: SSMClient, path: string): Promise<Record<string, string>> => {
  const { GetParametersByPathCommand } = await import('@aws-sdk/client-ssm')
  const secrets: Record<string, string> = {}
  let NextToken: string | undefined
  do {
    const page = await client.send(
      new GetParametersByPathCommand({ Path: path, WithDecryption: true, NextToken }),
    )
    for (const { Name, Value } of page.Parameters ?? [])
      if (Value !== undefined) secrets[variableOf(Name)] = Value
    NextToken = page.NextToken
  } while (NextToken !== undefined)
  return secrets
}

/** The names that `readSecrets` would return, for roles that may not read the values. */
export const listSecrets = async (client: SSMClient, path: string): Promise<string[]> => {
  const { DescribeParametersCommand } = await import('@aws-sdk/client-ssm')
  const below = [{ Key: 'Path', Option: 'OneLevel', Values: [path] }]
  const names: string[] = []
  let NextToken: string | undefined
  do {
    const page = await client.send(new DescribeParametersCommand({ ParameterFilters: below, NextToken }))
    names.push(...(page.Parameters ?? []).map(({ Name }) => variableOf(Name)))
    NextToken = page.NextToken
  } while (NextToken !== undefined)
  return names
}

const variableOf = (name = ''): string => name.slice(name.lastIndexOf('/') + 1)
