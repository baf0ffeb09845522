import { Copy } from './copy.tsx'

export const Secret = ({ label, text }: { label: string; text: string }) => (
  <div
    role="status"
    className="flex flex-col gap-1.5 rounded-md border border-completed/40 bg-completed/8 p-3"
  >
    <p className="font-medium">{label}</p>
    <div className="flex items-center gap-1 rounded-md border bg-background pl-2.5">
      <code className="min-w-0 flex-1 py-1.5 font-mono text-xs break-all">{text}</code>
      <Copy text={text} />
    </div>
    <p className="text-xs text-muted-foreground">Copy it now. It is not shown again.</p>
  </div>
)
