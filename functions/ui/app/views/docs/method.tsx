export const Method = ({ method }: { method: string }) => (
  <span className="inline-block w-12 shrink-0 font-mono text-xs">{method === 'DELETE' ? 'DEL' : method}</span>
)
