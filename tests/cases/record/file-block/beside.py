WHERE = "beside the page"
