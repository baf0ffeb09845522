import { backUp } from '../lib/app/data.ts'
import { readSome } from '../lib/config/config.ts'
import { badSetting } from '../lib/core/bad-setting.ts'
import { errorMessage } from '../lib/core/errors.ts'
import { terminalText } from '../lib/core/terminal-text.ts'

/** `npm run backup -- <folder>`: copies the data folder of a service, which may be running. */
const main = () => {
  const [target, ...more] = process.argv.slice(2)
  if (target === undefined || target === '' || more.length > 0)
    throw badSetting('say where to: npm run backup -- <a folder that is not there yet>')
  const settings = readSome(['SERVICE_MODE', 'DATA_DIR', 'ENCRYPTION_KEY'])
  const { folder, bytes, hasKeyFile } = backUp(settings, target)
  process.stdout.write(
    [
      `Backed up ${settings.DATA_DIR} to ${folder}: ${(bytes / 1_000_000).toFixed(1)} MB, checked.`,
      ...(hasKeyFile ? ['encryption.key is in it: keep the backup as safe as the data folder.'] : []),
      ...(settings.ENCRYPTION_KEY ? ['ENCRYPTION_KEY is not in it: keep that elsewhere.'] : []),
      'Workspaces, MEMORY_DIR and settings of the environment are not in it.',
      '',
    ].join('\n'),
  )
}

try {
  main()
} catch (thrown) {
  process.stderr.write(`Cannot back up: ${terminalText(errorMessage(thrown).replace(/\s+/g, ' '))}\n`)
  process.exitCode = 1
}
