import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { announce } from './announce.ts';
import { Button } from './button.tsx';

/**
 * Copies a text to the clipboard, and says so.
 *
 * @param name what is copied, for screen readers; without it, the label says it.
 */
export function CopyButton({ text, label = 'Copy', name }: { text: string; label?: string; name?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce('Copied.');
    } catch {
      // Browsers offer the clipboard only to pages with TLS or of this machine.
      announce('The browser does not allow this page to copy. Select the text instead.');
    }
  };
  const shown = copied ? 'Copied' : label;
  return (
    <Button tone="quiet" aria-label={name && `${shown} ${name}`} onClick={() => void copy()}>
      {copied ? <Check /> : <Copy />}
      {shown}
    </Button>
  );
}
