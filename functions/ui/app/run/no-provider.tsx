const name = 'font-mono text-xs text-foreground'

export const NoProvider = () => (
  <>
    Set a provider key in the environment of the service, such as{' '}
    <code className={name}>ANTHROPIC_API_KEY</code>, and restart it.{' '}
    <code className={name}>docs/guide/providers.md</code> lists all keys.
  </>
)
