import { randomUUID } from 'node:crypto'
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import * as path from 'node:path'
import process from 'node:process'

/**
 * A plugin for `serverless offline`, which replaces the command by the whole stack (main.ts). The stack starts
 * `serverless offline` again as its gateway, marked by OFFLINE_GATEWAY. There, the plugin fills in the emulators' names
 * and addresses in place of CloudFormation's, and corrects serverless-offline where API Gateway differs. Other commands
 * are unchanged.
 */
export default class OfflineStack {
  constructor(serverless, options) {
    if (serverless.processedInput.commands[0] !== 'offline') return
    if (process.env.OFFLINE_GATEWAY === undefined) {
      this.hooks = { initialize: () => becomeStack(options) }
      return
    }
    // The process that started this one may die in any way, and at any time; then this one ends too.
    if (process.connected === false) process.exit(1)
    process.once('disconnect', () => process.exit(1))
    keepHttp(serverless.service)
    const esbuild = findPlugin(serverless, 'EsbuildServerlessPlugin')
    bundleOnce(serverless.service, esbuild)
    keepBundles(esbuild, process.env.BUNDLES_KEPT)
    this.hooks = {
      'before:offline:start:init': () => {
        fillIn(serverless.service)
        laySideBySide(serverless.service)
      },
      'after:offline:start:init': () => mountOn(serverless),
    }
  }
}

const GENERAL = new Set([
  'stage',
  'region',
  'param',
  'config',
  'app',
  'org',
  'verbose',
  'debug',
  'aws-profile',
])

/** Never returns: main.ts ends this process. Settings are environment variables, as for `npm start`. */
const becomeStack = async (options) => {
  const refused = Object.keys(options).find((name) => !GENERAL.has(name))
  if (refused !== undefined) {
    console.error(
      `Cannot start: there is no option --${refused} here. Set PORT, HOST and the rest in the environment.`,
    )
    process.exit(1)
  }
  await import('./main.ts')
  await new Promise(() => undefined)
}

/** The process that started this one sends messages and the schedule to their functions. */
const keepHttp = ({ functions }) => {
  for (const [name, { events = [] }] of Object.entries(functions))
    if (!events.some((event) => 'httpApi' in event)) delete functions[name]
}

/** Options of serverless-esbuild that esbuild does not know. */
const NOT_OF_ESBUILD = new Set([
  ...['concurrency', 'zipConcurrency', 'exclude', 'nativeZip', 'packager', 'packagePath', 'packagerOptions'],
  ...['watch', 'keepOutputDirectory', 'installExtraArgs', 'outputFileExtension', 'outputBuildFolder'],
  ...['outputWorkFolder', 'nodeExternals', 'skipBuild', 'skipRebuild', 'skipBuildExcludeFns'],
  ...['stripEntryResolveExtensions', 'disposeContext'],
])

/**
 * Bundles all functions once, into a folder of this process. One run of esbuild reads each source once; serverless-esbuild
 * would start a run for each function. Nothing is watched: a build in a packaged folder must not bundle everything again.
 */
const bundleOnce = ({ custom }, esbuild) => {
  const outputWorkFolder = process.env.BUNDLES_FOLDER ?? '.esbuild'
  custom.esbuild = { ...custom.esbuild, minify: false, outputWorkFolder }
  esbuild.watch = () => undefined
  esbuild.bundle = async () => {
    esbuild.prepare()
    const { build } = await import('esbuild')
    const { buildOptions, functionEntries, buildDirPath, plugins } = esbuild
    const options = Object.entries(buildOptions).filter(([name]) => !NOT_OF_ESBUILD.has(name))
    await build({
      ...Object.fromEntries(options),
      entryPoints: [...new Set(functionEntries.map(({ entry }) => entry))],
      outdir: buildDirPath,
      outbase: '.',
      outExtension: { '.js': buildOptions.outputFileExtension },
      external: buildOptions.exclude,
      plugins,
    })
  }
}

/**
 * Tests that start this often name a folder for bundles, which the first of them makes for all. Such a caller guarantees
 * that the sources do not change.
 */
const keepBundles = (esbuild, folder) => {
  if (!folder) return
  const { bundle } = esbuild
  esbuild.bundle = async () => {
    if (existsSync(folder)) {
      esbuild.prepare()
      return cpSync(folder, esbuild.buildDirPath, { recursive: true })
    }
    await bundle()
    const copy = `${folder}-${randomUUID()}`
    cpSync(esbuild.buildDirPath, copy, { recursive: true })
    try {
      renameSync(copy, folder)
    } catch {
      // Another process was faster.
      rmSync(copy, { recursive: true })
    }
  }
}

const findPlugin = ({ pluginManager }, name) =>
  pluginManager.plugins.find((plugin) => plugin.constructor.name === name)

/** Functions get the environment of this process, and no settings of the cloud: there are no proxies here. */
const fillIn = ({ provider, functions }) => {
  const variables = Object.entries(process.env).filter(([name]) => /^[A-Z][A-Z0-9_]*$/.test(name))
  provider.environment = Object.fromEntries(variables)
  for (const one of Object.values(functions)) one.environment = {}
}

/** The bundler puts files of single functions aside; here, as in the function's zip, they go beside the bundle. */
const laySideBySide = ({ custom, functions }) => {
  const built = path.resolve(custom.esbuild.outputWorkFolder, '.build')
  for (const name of Object.keys(functions)) {
    const own = path.join(built, `__only_${name}`)
    if (existsSync(own)) cpSync(own, built, { recursive: true })
  }
}

const mountOn = async (serverless) => {
  const [{ mount }, esbuild] = await Promise.all([import('./mount.ts'), import('esbuild')])
  // Nothing is bundled after this.
  await esbuild.stop()
  const offline = findPlugin(serverless, 'ServerlessOffline').internals()
  mount(offline.getApiGatewayServer(), serverless.service.resources)
  process.send?.('mounted')
}
