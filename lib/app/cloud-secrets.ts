import { openSsm } from '../adapters/aws/clients.ts'
import { asUnavailable } from '../adapters/aws/failure.ts'
import { readSecrets } from '../adapters/aws/secrets.ts'
import { type Config, readConfigWith } from '../config.ts'

/**
 * The settings, and with them those that are kept as encrypted parameters, where the deployment names a place of them.
 * Throws Problem `unavailable` `secrets_unavailable` when SSM cannot be asked.
 */
export const withSecrets = async (given: Config): Promise<Config> => {
  const { SECRETS_PATH: path, AWS_REGION: region } = given
  if (path === undefined) return given
  try {
    return readConfigWith(await readSecrets(await openSsm({ region }), path))
  } catch (thrown) {
    throw asUnavailable(thrown, 'secrets_unavailable', 'SSM')
  }
}
