const name = 'font-mono text-xs text-foreground'

export const NoProvider = () => (
  <>
    Set the key of a provider in the environment of the service, such as{' '}
    <code className={name}>ANTHROPIC_API_KEY</code>, and start it again.{' '}
    <code className={name}>docs/guide/providers.md</code> lists all of them.
  </>
)
