package openai

// Types of the opaque blocks that this wire makes and takes back. Their vendor is the provider id.
const (
	// opaqueDetails holds the reasoning_details array of a reply, as sent, pieces joined.
	opaqueDetails = "reasoning_details"
	// opaqueReasoning holds the reasoning_opaque value of a reply (GitHub Copilot).
	opaqueReasoning = "reasoning_opaque"
	// opaqueExtra follows a call block and holds the extra_content object of that call.
	opaqueExtra = "extra_content"
)
