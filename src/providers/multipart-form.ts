import { getMultipartBoundary, type MultipartPart, parseMultipart } from '@remix-run/multipart-parser';
import type { InboundRequest } from './inbound-request.ts';

/** Ids, names and signatures are short; longer fields are texts and files, which nobody here reads. */
const maxValueBytes = 4096;

/**
 * A MiB of parts with long headers takes 0.3 s to read (measured), and anyone can send it. Mailgun's forms have some 30
 * fields and a part for each attached file, whose header holds the file's name.
 */
const maxParts = 200;
const maxHeaderBytes = 2048;

/** `form-data; name="…"` of a field is far shorter, and reading a long one takes longer than all the rest. */
const maxFieldHeader = 200;

/** RFC 2046, section 5.1.1 */
const maxBoundaryLength = 70;

const parsed = new WeakMap<InboundRequest, URLSearchParams | null>();

/**
 * The short text fields of a form with files (`multipart/form-data`, RFC 7578), or null when the body is none. A body
 * that breaks off, is otherwise wrong or has over 200 parts is none.
 */
export function multipartForm(request: InboundRequest): URLSearchParams | null {
  let form = parsed.get(request);
  if (form === undefined) {
    form = parse(request);
    parsed.set(request, form);
  }
  return form;
}

function parse(request: InboundRequest): URLSearchParams | null {
  const contentType = request.header('content-type') ?? '';
  if (!/^\s*multipart\/form-data\s*;/i.test(contentType)) return null;
  const boundary = getMultipartBoundary(contentType)?.trim() ?? '';
  if (boundary === '' || boundary.length > maxBoundaryLength) return null;
  const form = new URLSearchParams();
  try {
    const limits = { maxParts, maxHeaderSize: maxHeaderBytes, maxFileSize: request.body.length };
    for (const part of parseMultipart(request.body, { boundary, ...limits })) {
      if (part.size > maxValueBytes) continue;
      const name = nameOf(part);
      if (name !== null) form.append(name, new TextDecoder().decode(part.bytes));
    }
    return form;
  } catch {
    return null;
  }
}

/** Null for files and for parts whose own headers cannot be read or are longer than those of fields. */
function nameOf(part: MultipartPart): string | null {
  try {
    const { 'content-disposition': disposition = '', 'content-type': type = '' } = part.headers;
    if (disposition.length > maxFieldHeader || type.length > maxFieldHeader) return null;
    return part.isText ? (part.name ?? null) : null;
  } catch {
    return null;
  }
}
