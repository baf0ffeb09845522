/** Without a path, suites of the full tier are left out; with one, all that is there runs. */
const isQuick = !process.argv.slice(2).some((argument) => !argument.startsWith('-'))

export default {
  // jest without a module registry of its own: see test/runner.
  testEnvironment: '<rootDir>/test/runner/environment.js',
  globalSetup: '<rootDir>/test/runner/setup.js',
  globalTeardown: '<rootDir>/test/runner/teardown.js',
  testRunner: '<rootDir>/test/runner/runner.js',
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: isQuick ? ['\\.full\\.test\\.ts$'] : [],
  // Ends what hangs. A test that is slow is not wrong: machines are busy, and speed is measured by npm run bench.
  testTimeout: 300_000,
  maxWorkers: 3,
  // To start a program, Linux copies the page tables of the process that starts it, and the tests start some thousand: a
  // worker that has grown is replaced. A lower limit spends more on new workers than it saves.
  workerIdleMemoryLimit: '300MB',
}
