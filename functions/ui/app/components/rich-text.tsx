import type { ErrorComponentProps } from '@tanstack/react-router'
import { Boundary, useRecovery } from './boundary.tsx'
import { lazyComponent } from './lazy.tsx'
import { PlainText } from './plain-text.tsx'

const Markdown = lazyComponent(() => import('./markdown.tsx'), 'Markdown')

/** Markdown; plain text until the renderer is loaded. */
export const RichText = ({ text }: { text: string }) => (
  <Boundary
    resetKey="markdown"
    failed={(props) => <Unloaded {...props} text={text} />}
    loading={<PlainText text={text} />}
  >
    <Markdown text={text} />
  </Boundary>
)

const Unloaded = ({ text, ...props }: ErrorComponentProps & { text: string }) => {
  useRecovery(props)
  return <PlainText text={text} />
}
