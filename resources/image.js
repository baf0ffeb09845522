import { existsSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import process from 'node:process'

const NO_DIGEST = `@sha256:${'0'.repeat(64)}`
const TEMPLATE = 'cloudformation-template-update-stack.json'

/**
 * A plugin for `serverless package` and `deploy`. A package that is only inspected needs no docker and no account: an
 * invalid address replaces the image, and such a package is not deployed.
 */
// biome-ignore lint/style/noDefaultExport: plugins are loaded by path.
export default class Image {
  constructor(serverless, { param = [], package: folder }, { log }) {
    const command = serverless.processedInput.commands.join(' ')
    const isAsked = param.some((one) => one.startsWith('image='))
    if (command === 'package' && !isAsked) this.hooks = { initialize: () => standIn(serverless, log) }
    if (command === 'deploy') this.hooks = { initialize: () => refuseStandIn(serverless, folder) }
  }
}

const standIn = ({ service: { provider, functions } }, log) => {
  const { images } = provider.ecr
  for (const [image, { path: source }] of Object.entries(images)) {
    if (source === undefined) continue
    const uri = `000000000000.dkr.ecr.${provider.region}.amazonaws.com/not-built${NO_DIGEST}`
    images[image] = { uri }
    const users = Object.keys(functions).filter((name) => functions[name].image?.name === image)
    log.warning(
      [
        `The image of ${users.join(' and ')} is not built: ${uri} stands in for it.`,
        'This package is to be looked at and cannot be deployed. `serverless deploy` builds the image; ',
        'one that was pushed before is taken with --param image=given --param imageUri=<repository>@sha256:<digest>.',
      ].join('\n'),
    )
  }
}

const refuseStandIn = ({ service: { provider }, classes, serviceDir }, folder) => {
  const template = path.resolve(serviceDir ?? process.cwd(), folder ?? '', TEMPLATE)
  const isPackaged = folder !== undefined && existsSync(template)
  const text = isPackaged ? readFileSync(template, 'utf8') : JSON.stringify(provider.ecr.images)
  if (text.includes(NO_DIGEST))
    throw new classes.Error(
      `Cannot deploy${isPackaged ? ` ${folder}` : ''}: no image was built for it. Deploy without --package, or package with --param image=given --param imageUri=<repository>@sha256:<digest>.`,
      'IMAGE_NOT_BUILT',
    )
}
