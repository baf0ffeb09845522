import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm'

/**
 * The parameters below a path as environment variables, by the last part of their names: what is stored encrypted is
 * read when a process starts, and is in no template, no image and no configuration of a function.
 */
export const readSecrets = async (client: SSMClient, path: string): Promise<Record<string, string>> => {
  const secrets: Record<string, string> = {}
  let NextToken: string | undefined
  do {
    const page = await client.send(
      new GetParametersByPathCommand({ Path: path, WithDecryption: true, NextToken }),
    )
    for (const { Name = '', Value } of page.Parameters ?? [])
      if (Value !== undefined) secrets[Name.slice(Name.lastIndexOf('/') + 1)] = Value
    NextToken = page.NextToken
  } while (NextToken !== undefined)
  return secrets
}

export const openSsm = (region: string): SSMClient => new SSMClient({ region, maxAttempts: 4 })
